import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from "@codemirror/language";
import { Compartment, EditorState, Prec, Transaction } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { Schemas } from "@/api/client";
import { finding } from "./editor/finding";
import { grammarOf } from "./editor/languages";
import { blameGutter, type Noted, note, notes } from "./editor/notes";
import { look } from "./editor/theme";

export interface Cursor {
  line: number;
  column: number;
}

interface ViewerProps {
  path: string;
  text: string;
  /** Changes when what is marked has to be put in place anew; typing does not change it. */
  version: string;
  tongue: Schemas["Tongue"];
  indent: string;
  isEditing: boolean;
  noted: Noted;
  /** Null: not asked for. */
  blamed: readonly Schemas["BlamedTold"][] | null;
  said: (at: string) => string;
  /** Where to go; a new object goes there again. */
  target: { line: number } | null;
  typed: (text: string) => void;
  moved: (cursor: Cursor) => void;
  save: () => void;
  leave: () => void;
}

/** A file to read, or to edit. Everything that is not typed comes from outside, and may come later. */
export default function Viewer(props: ViewerProps) {
  const { path, text, version, tongue, indent, isEditing, noted, blamed, said, target } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const parts = useRef({ grammar: new Compartment(), editing: new Compartment(), blame: new Compartment() });
  // What the editor calls is whatever the page last gave.
  const latest = useRef(props);
  latest.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: an editor is made once; the rest is told to it.
  useEffect(() => {
    if (!box.current) return;
    const { grammar, editing, blame } = parts.current;
    const made = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          blame.of([]),
          lineNumbers(),
          foldGutter({ openText: "⌄", closedText: "›" }),
          history(),
          drawSelection(),
          bracketMatching(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          finding,
          indentUnit.of(indent),
          grammar.of([]),
          editing.of(editable(isEditing)),
          notes,
          look,
          EditorView.contentAttributes.of({ "aria-label": `${path}, code`, tabindex: "0" }),
          Prec.highest(
            keymap.of([
              {
                key: "Mod-s",
                run: () => {
                  latest.current.save();
                  return true;
                },
              },
              {
                key: "Escape",
                run: () => {
                  if (!latest.current.isEditing) return false;
                  latest.current.leave();
                  return true;
                },
              },
            ]),
          ),
          keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap]),
          EditorView.updateListener.of((update) => {
            // What the page itself puts in is nobody's typing.
            if (update.docChanged && update.transactions.some((one) => one.annotation(Transaction.userEvent)))
              latest.current.typed(update.state.doc.toString());
            if (update.selectionSet || update.docChanged) {
              const at = update.state.selection.main.head;
              const line = update.state.doc.lineAt(at);
              latest.current.moved({ line: line.number, column: at - line.from + 1 });
            }
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  }, []);

  // The file changed outside: by a card, by somebody else, or a draft was dropped.
  useEffect(() => {
    const now = view.current;
    if (now && now.state.doc.toString() !== text)
      now.dispatch({ changes: { from: 0, to: now.state.doc.length, insert: text } });
  }, [text]);

  useEffect(() => {
    let isLeft = false;
    void grammarOf(tongue).then((found) => {
      if (!isLeft) view.current?.dispatch({ effects: parts.current.grammar.reconfigure(found ?? []) });
    });
    return () => {
      isLeft = true;
    };
  }, [tongue]);

  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.editing.reconfigure(editable(isEditing)) });
    if (isEditing) view.current?.focus();
  }, [isEditing]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has its lines elsewhere.
  useEffect(() => {
    view.current?.dispatch({ effects: note.of(noted) });
  }, [noted, version]);

  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.blame.reconfigure(blamed ? blameGutter(blamed, said) : []) });
  }, [blamed, said]);

  useEffect(() => {
    const now = view.current;
    if (!now || !target) return;
    const at = now.state.doc.line(Math.max(1, Math.min(target.line, now.state.doc.lines))).from;
    now.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  }, [target]);

  return <div ref={box} className="h-full min-h-0 [&>.cm-editor]:h-full" />;
}

function editable(isEditing: boolean) {
  return [EditorView.editable.of(isEditing), EditorState.readOnly.of(!isEditing)];
}
