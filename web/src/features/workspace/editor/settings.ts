import { LanguageSupport, StreamLanguage, type StringStream } from "@codemirror/language";

interface Line {
  /** After the sign that gives a value. */
  isValue: boolean;
}

/** Files of names and values (TOML, INI, .env): heads, names, values, comments. */
const language = StreamLanguage.define<Line>({
  name: "settings",
  startState: () => ({ isValue: false }),
  token(stream: StringStream, state: Line): string | null {
    if (stream.sol()) state.isValue = false;
    if (stream.eatSpace()) return null;
    if (stream.match(/^[#;].*/)) return "comment";
    if (!state.isValue && stream.match(/^\[.*\]/)) return "heading";
    if (!state.isValue && stream.match(/^[=:]/)) {
      state.isValue = true;
      return "operator";
    }
    if (!state.isValue && stream.match(/^[^\s=:]+/)) return "propertyName";
    if (stream.match(/^("""|''')/) || stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'[^']*'?/)) return "string";
    if (stream.match(/^(?:true|false|yes|no|on|off)\b/i)) return "bool";
    if (stream.match(/^[+-]?\d[\d_.:TZ+-]*/)) return "number";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "#" } },
});

export function settings(): LanguageSupport {
  return new LanguageSupport(language);
}
