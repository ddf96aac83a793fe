/** What a browser remembers for one person. Storage may be full or forbidden, and then nothing is remembered. */

export function kept(name: string): string {
  try {
    return localStorage.getItem(`hindcast.${name}`) ?? "";
  } catch {
    return "";
  }
}

export function keep(name: string, value: string): void {
  try {
    if (value) localStorage.setItem(`hindcast.${name}`, value);
    else localStorage.removeItem(`hindcast.${name}`);
  } catch {
    // It holds until the page is left.
  }
}
