/** Which form of a word goes with a number: French counts zero as one. */
export function plural(locale: string, count: number): "one" | "other" {
  if (locale === "fr") return count < 2 ? "one" : "other";
  return count === 1 ? "one" : "other";
}
