const money = new Map<string, Intl.NumberFormat>();

/** An amount in the smallest unit, as people of this browser write it. */
export function formatMoney({ minor, currency }: { minor: number; currency: string }): string {
  let format = money.get(currency);
  if (!format) {
    format = new Intl.NumberFormat(undefined, { style: "currency", currency });
    money.set(currency, format);
  }
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(minor / 10 ** digits);
}

export function formatDate(milliseconds: number): string {
  return new Date(milliseconds).toLocaleDateString(undefined, { dateStyle: "medium" });
}

export function formatWeight(parcels: { grams: number }[]): string {
  const grams = parcels.reduce((sum, parcel) => sum + parcel.grams, 0);
  return grams < 1000 ? `${grams} g` : `${(grams / 1000).toFixed(1)} kg`;
}
