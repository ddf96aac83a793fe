import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter, WidgetType } from "@codemirror/view";
import type { Schemas } from "@/api/client";
import { type Tone, times } from "../deck";

/** Lines that something is said about: a fix is proposed for them, or memory warns of them. */
export interface Marked {
  first: number;
  last: number;
  tone: Tone;
  label: string;
}

/** An incident that a function was part of before. */
export interface Past {
  incident: string;
  title: string;
  /** "6 weeks ago". */
  age: string;
  href: string;
}

export interface Noted {
  marks: readonly Marked[];
  /** By the line that a function begins at. */
  past: ReadonlyMap<number, readonly Past[]>;
  open: (incident: string) => void;
}

export const note = StateEffect.define<Noted>();

class Lens extends WidgetType {
  constructor(
    readonly past: readonly Past[],
    readonly indent: number,
    readonly open: (incident: string) => void,
  ) {
    super();
  }

  override eq(other: Lens): boolean {
    return (
      other.indent === this.indent &&
      other.past.map((one) => one.incident + one.age).join() === this.past.map((one) => one.incident + one.age).join()
    );
  }

  override toDOM(): HTMLElement {
    const line = document.createElement("div");
    line.className = "cm-lens";
    line.style.paddingLeft = `calc(6px + ${this.indent}ch)`;
    line.append(`Broke ${times(this.past.length)} before`);
    for (const one of this.past.slice(0, 3)) {
      const link = document.createElement("a");
      link.href = one.href;
      link.title = one.title;
      link.textContent = `${one.incident}, ${one.age}`;
      link.addEventListener("click", (event) => {
        if (event.metaKey || event.ctrlKey) return;
        event.preventDefault();
        this.open(one.incident);
      });
      line.append(link);
    }
    return line;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Stripes and lenses. They move with the text while somebody types. */
export const notes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, change) {
    let next = shown.map(change.changes);
    for (const effect of change.effects) {
      if (!effect.is(note)) continue;
      const { doc } = change.state;
      const found = [];
      for (const one of effect.value.marks) {
        for (let line = one.first; line <= Math.min(one.last, doc.lines); line += 1) {
          const at = doc.line(Math.max(1, line)).from;
          found.push(Decoration.line({ class: `cm-mark-${one.tone}`, attributes: { title: one.label } }).range(at));
        }
      }
      for (const [line, past] of effect.value.past) {
        if (line > doc.lines || past.length === 0) continue;
        const begin = doc.line(line);
        const indent = begin.text.length - begin.text.trimStart().length;
        const widget = new Lens(past, indent, effect.value.open);
        found.push(Decoration.widget({ widget, block: true, side: -1 }).range(begin.from));
      }
      next = Decoration.set(found, true);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Author extends GutterMarker {
  constructor(
    readonly label: string,
    readonly about: string,
  ) {
    super();
  }

  override eq(other: Author): boolean {
    return other.about === this.about && other.label === this.label;
  }

  override toDOM(): Node {
    const text = document.createElement("span");
    text.textContent = this.label;
    text.title = this.about;
    return text;
  }
}

/** Who last touched which lines, beside the first line of each stretch. */
export function blameGutter(blamed: readonly Schemas["BlamedTold"][], said: (at: string) => string) {
  return gutter({
    class: "cm-blame",
    markers: (view) => {
      const marks = new RangeSetBuilder<GutterMarker>();
      for (const { lines, commit } of [...blamed].sort((a, b) => a.lines.first - b.lines.first)) {
        if (lines.first > view.state.doc.lines) continue;
        const about = `${commit.id.slice(0, 7)} ${commit.subject} (${commit.author})`;
        const at = view.state.doc.line(lines.first).from;
        marks.add(at, at, new Author(`${commit.author}, ${said(commit.at)}`, about));
      }
      return marks.finish();
    },
  });
}
