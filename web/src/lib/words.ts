/** Words of memory as a page puts them. */

interface Told {
  headline: string;
  fixes?: readonly { action: string }[];
}

/** The headline without what ended it, where that is told right below. "Fixed on … by …" is whole without it; others are not. */
export function headlineOf({ headline, fixes }: Told): string {
  const fix = fixes?.[0]?.action.replace(/\.$/, "");
  const [before, after] = fix ? headline.split(`: ${fix}`) : [];
  const counted = /^\.?( \d+ incidents of this kind.*)?$/.exec(after ?? "-");
  return before && counted && /\. Fixed [^:]+$/.test(before) ? `${before}.${counted[1] ?? ""}` : headline;
}

/** As a sentence, however it was written down. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
