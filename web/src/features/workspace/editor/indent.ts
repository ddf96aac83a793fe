/** How a file is indented, as most of its first lines are. */
export function indentOf(text: string): { unit: string; label: string } {
  const indented = text.split("\n", 400).map((line) => /^(\t+| +)\S/.exec(line)?.[1] ?? "");
  const tabs = indented.filter((one) => one.startsWith("\t")).length;
  const widths = indented.filter((one) => one.startsWith(" ")).map((one) => one.length);
  if (tabs > widths.length) return { unit: "\t", label: "Tabs" };
  const least = widths.length > 0 ? Math.min(...widths) : 4;
  const width = least === 1 || least > 8 ? 4 : least;
  return { unit: " ".repeat(width), label: `Spaces: ${width}` };
}
