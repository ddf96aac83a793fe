import { syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { words } from "./words";

/** How code looks: the tokens of the page, so that both themes are there without asking. */
export const look: Extension = [
  syntaxHighlighting(words),
  EditorView.theme({
    "&": { backgroundColor: "transparent", color: "var(--fg)", fontSize: "12px" },
    "&.cm-focused": { outline: "none" },
    ".cm-content": { fontFamily: "var(--font-mono)", padding: "4px 0", caretColor: "var(--moon)" },
    ".cm-content:focus-visible": { outline: "2px solid var(--moon)", outlineOffset: "-2px" },
    ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "19px", fontVariantLigatures: "none" },
    ".cm-gutters": { backgroundColor: "transparent", color: "var(--fg3)", border: "none" },
    ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 10px", minWidth: "30px" },
    ".cm-foldGutter .cm-gutterElement": { color: "var(--fg3)", cursor: "pointer" },
    ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--fg) 4%, transparent)" },
    ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--fg)" },
    ".cm-cursor": { borderLeftColor: "var(--moon)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
      background: "color-mix(in srgb, var(--moon) 22%, transparent)",
    },
    ".cm-foldPlaceholder": { background: "var(--s3)", border: "none", color: "var(--fg2)", padding: "0 4px" },
    ".cm-panels": { backgroundColor: "var(--s2)", color: "var(--fg)", borderColor: "var(--line)" },
    ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
    ".cm-panel.cm-search, .cm-panel.cm-gotoLine": {
      padding: "6px 28px 6px 8px",
      fontFamily: "var(--font-sans)",
      fontSize: "12px",
    },
    ".cm-panel.cm-search label": { fontSize: "12px", color: "var(--fg2)" },
    ".cm-panel input[type=checkbox]": { accentColor: "var(--moon)" },
    // Its own are made for a light page, whichever theme is chosen.
    "& .cm-panel .cm-textfield": {
      height: "24px",
      fontSize: "12px",
      color: "var(--fg)",
      backgroundColor: "var(--bg)",
      border: "1px solid var(--line2)",
      borderRadius: "6px",
    },
    "& .cm-panel .cm-button": {
      height: "24px",
      fontSize: "12px",
      color: "var(--fg)",
      background: "var(--s2)",
      border: "1px solid var(--line2)",
      borderRadius: "6px",
    },
    "& .cm-panel .cm-button:hover": { background: "var(--s3)" },
    "& .cm-panel button[name=close]": { color: "var(--fg2)", fontSize: "16px", top: "4px", right: "8px" },
    // Words that have a hue of their own would not be read on one of these.
    ".cm-searchMatch, .cm-searchMatch span": { color: "var(--fg) !important" },
    ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--sand) 22%, transparent)" },
    ".cm-searchMatch-selected": {
      backgroundColor: "color-mix(in srgb, var(--sand) 34%, transparent)",
      outline: "1px solid var(--sand)",
    },
    ".cm-mark-coral": stripe("coral"),
    ".cm-mark-sand": stripe("sand"),
    ".cm-mark-moon": stripe("moon"),
    ".cm-mark-sage": stripe("sage"),
    ".cm-lens": { fontFamily: "var(--font-sans)", fontSize: "11px", lineHeight: "18px", color: "var(--moon)" },
    ".cm-lens a": {
      marginLeft: "8px",
      color: "var(--fg2)",
      textDecoration: "underline dotted",
      textUnderlineOffset: "2px",
    },
    ".cm-lens a:hover": { color: "var(--fg)" },
    ".cm-blame": { fontFamily: "var(--font-sans)", fontSize: "11px", color: "var(--fg3)", width: "132px" },
    ".cm-blame .cm-gutterElement": {
      padding: "0 0 0 10px",
      overflow: "hidden",
      whiteSpace: "nowrap",
      textOverflow: "ellipsis",
    },
  }),
];

function stripe(name: string): Record<string, string> {
  return {
    backgroundColor: `color-mix(in srgb, var(--${name}) 9%, transparent)`,
    boxShadow: `inset 3px 0 var(--${name})`,
  };
}

/** How two sides of a change look. */
export const mergeLook: Extension = EditorView.theme({
  ".cm-changedLine": { backgroundColor: "color-mix(in srgb, var(--coral) 9%, transparent) !important" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "color-mix(in srgb, var(--sage) 9%, transparent) !important" },
  ".cm-changedText": { background: "color-mix(in srgb, var(--coral) 26%, transparent) !important" },
  "&.cm-merge-b .cm-changedText": { background: "color-mix(in srgb, var(--sage) 26%, transparent) !important" },
  ".cm-changedLineGutter": { backgroundColor: "var(--coral) !important" },
  "&.cm-merge-b .cm-changedLineGutter": { backgroundColor: "var(--sage) !important" },
  ".cm-collapsedLines": { background: "var(--s2)", color: "var(--fg2)", fontFamily: "var(--font-sans)" },
  // Its own sign is in none of our fonts.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋯"' },
  ".cm-mergeSpacer": { backgroundColor: "transparent" },
});
