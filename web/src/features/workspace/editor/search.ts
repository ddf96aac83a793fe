import { highlightSelectionMatches, search as panel, searchKeymap } from "@codemirror/search";
import { keymap } from "@codemirror/view";

export { gotoLine, openSearchPanel } from "@codemirror/search";

export const search = [highlightSelectionMatches(), panel({ top: true }), keymap.of(searchKeymap)];
