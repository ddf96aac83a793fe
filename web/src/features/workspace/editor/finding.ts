import { Compartment, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";

// Searching within a file is fetched once somebody is in it: most open a file to read what a card points at.
const part = new Compartment();

async function fetched(view: EditorView): Promise<typeof import("./search")> {
  const found = await import("./search");
  if (part.get(view.state) !== found.search) view.dispatch({ effects: part.reconfigure(found.search) });
  return found;
}

/** Find, go to a line, and the other places where what is selected stands; all of it from the first key on. */
export const finding: Extension = [
  part.of([]),
  EditorView.domEventHandlers({
    focus: (_, view) => {
      void fetched(view);
      return false;
    },
  }),
  // Before the rest is there these two wait for it. Afterwards it stands first, and they are its own.
  keymap.of([
    { key: "Mod-f", run: opened((found, view) => found.openSearchPanel(view)) },
    { key: "Mod-Alt-g", run: opened((found, view) => found.gotoLine(view)) },
  ]),
];

function opened(run: (found: typeof import("./search"), view: EditorView) => boolean) {
  return (view: EditorView): boolean => {
    void fetched(view).then((found) => run(found, view));
    return true;
  };
}
