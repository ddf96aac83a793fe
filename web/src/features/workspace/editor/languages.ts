import type { LanguageSupport } from "@codemirror/language";
import type { Schemas } from "@/api/client";

type Tongue = Schemas["Tongue"];

/** The grammar of a language, fetched when the first file of it is opened; null: shown as plain text. */
export async function grammarOf(tongue: Tongue): Promise<LanguageSupport | null> {
  switch (tongue) {
    case "python":
      return (await import("@codemirror/lang-python")).python();
    case "javascript":
      return (await import("@codemirror/lang-javascript")).javascript({ jsx: true });
    case "typescript":
      return (await import("@codemirror/lang-javascript")).javascript({ typescript: true });
    case "tsx":
      return (await import("@codemirror/lang-javascript")).javascript({ typescript: true, jsx: true });
    case "go":
      return (await import("@codemirror/lang-go")).go();
    case "sql":
      return (await import("@codemirror/lang-sql")).sql();
    case "yaml":
      return (await import("@codemirror/lang-yaml")).yaml();
    case "json":
      return (await import("@codemirror/lang-json")).json();
    case "toml":
    case "ini":
    case "env":
      return (await import("./settings")).settings();
    default:
      return null;
  }
}

const BY_ENDING: Readonly<Record<string, Tongue>> = {
  py: "python",
  pyi: "python",
  js: "javascript",
  mjs: "javascript",
  jsx: "javascript",
  ts: "typescript",
  tsx: "tsx",
  go: "go",
  sql: "sql",
  yaml: "yaml",
  yml: "yaml",
  json: "json",
  toml: "toml",
  ini: "ini",
  cfg: "ini",
  env: "env",
};

/** What a file is written in, where only its name is known. */
export function tongueOf(path: string): Tongue {
  return BY_ENDING[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "text";
}
