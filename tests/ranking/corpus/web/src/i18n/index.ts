import { plural } from "./plural";

type Catalog = Record<string, string | Record<string, string>>;

let catalog: Catalog = {};
let locale = "en";

/** Loads the texts of a language; English where there is none. */
export async function setLocale(wanted: string) {
  locale = ["de", "fr", "en"].find((known) => wanted.startsWith(known)) ?? "en";
  catalog = (await import(`./${locale}.json`)).default;
}

/** The text of `key` with its `{placeholders}` filled in. */
export function t(key: string, values: Record<string, string | number> = {}): string {
  const entry = catalog[key] ?? key;
  const text = typeof entry === "string" ? entry : entry[plural(locale, Number(values.count))] ?? entry.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
