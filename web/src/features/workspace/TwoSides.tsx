import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView, presentableDiff } from "@codemirror/merge";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { Schemas } from "@/api/client";
import { isSmall } from "./cutting";
import { grammarOf } from "./editor/languages";
import { look, mergeLook } from "./editor/theme";

interface TwoSidesProps {
  before: string;
  after: string;
  /** The number of the first line on both sides. */
  first: number;
  tongue: Schemas["Tongue"];
  label: string;
  /** In a narrow place nothing is hidden at the side. */
  isWrapped?: boolean;
  isEditing?: boolean;
  /** What somebody had typed on the right side before. */
  begun?: string | null;
  typed?: (text: string) => void;
  accept?: () => void;
  cancel?: () => void;
}

/** A change, before and after side by side. The right side can be edited. */
export default function TwoSides(props: TwoSidesProps) {
  const { before, after, first, tongue, label, isEditing = false, isWrapped = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const merge = useRef<MergeView | null>(null);
  const parts = useRef({ grammar: new Compartment(), editing: new Compartment() });
  const latest = useRef(props);
  latest.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: whether it is edited is told to it below.
  useEffect(() => {
    if (!box.current) return;
    const { grammar, editing } = parts.current;
    const side = (name: string): Extension[] => [
      lineNumbers({ formatNumber: (line) => String(line + first - 1) }),
      grammar.of([]),
      isWrapped ? EditorView.lineWrapping : [],
      look,
      mergeLook,
      EditorView.contentAttributes.of({ "aria-label": `${label}, ${name}`, tabindex: "0" }),
    ];
    const made = new MergeView({
      parent: box.current,
      a: { doc: before, extensions: [...side("before"), editable(false)] },
      b: {
        doc: latest.current.begun ?? after,
        extensions: [
          ...side("after"),
          editing.of(editable(isEditing)),
          history(),
          Prec.highest(
            keymap.of([
              { key: "Mod-Enter", run: () => whileEditing(latest.current, latest.current.accept) },
              { key: "Escape", run: () => whileEditing(latest.current, latest.current.cancel) },
            ]),
          ),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.typed?.(update.state.doc.toString());
          }),
        ],
      },
      gutter: true,
      highlightChanges: isSmall(before, after, presentableDiff(before, after)),
      collapseUnchanged: { margin: 3, minSize: 8 },
    });
    merge.current = made;
    let isLeft = false;
    void grammarOf(tongue).then((found) => {
      if (isLeft) return;
      for (const one of [made.a, made.b]) one.dispatch({ effects: grammar.reconfigure(found ?? []) });
    });
    return () => {
      isLeft = true;
      merge.current = null;
      made.destroy();
    };
  }, [before, after, first, tongue, label, isWrapped]);

  useEffect(() => {
    const side = merge.current?.b;
    if (!side) return;
    side.dispatch({ effects: parts.current.editing.reconfigure(editable(isEditing)) });
    if (isEditing) side.focus();
  }, [isEditing]);

  return (
    <div
      ref={box}
      data-diff
      className="scroll-thin h-full min-h-0 overflow-y-auto [&_.cm-mergeViewEditor+.cm-mergeViewEditor]:border-l"
    />
  );
}

function whileEditing({ isEditing }: TwoSidesProps, run: (() => void) | undefined): boolean {
  if (isEditing) run?.();
  return isEditing === true;
}

function editable(isEditing: boolean): Extension {
  return [EditorView.editable.of(isEditing), EditorState.readOnly.of(!isEditing)];
}
