// SPDX-License-Identifier: Apache-2.0
// The editor of the question: its history, and the mark under the character that an error is about.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, keymap, placeholder, type DecorationSet } from '@codemirror/view';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const setMark = StateEffect.define<[number, number] | null>();
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(old, transaction) {
    let next = old.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setMark)) continue;
      next = effect.value ? Decoration.set([Decoration.mark({ class: 'fault' }).range(effect.value[0], effect.value[1])]) : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export interface EditorProps {
  text: string;
  label: string;
  hint: string;
  /** The characters that an error is about. */
  fault: [number, number] | null;
  onText(text: string): void;
  onPaste(text: string): boolean;
  onEnter(text: string): void;
}

export function Editor(props: EditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (!host.current) return;
    view.current = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          history(), marks,
          keymap.of([
            { key: 'Enter', run: (editor) => { latest.current.onEnter(editor.state.doc.toString()); return true; } },
            ...defaultKeymap, ...historyKeymap,
          ]),
          placeholder(latest.current.hint),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': latest.current.label, spellcheck: 'false', autocapitalize: 'off' }),
          EditorView.updateListener.of((update) => {
            const text = update.state.doc.toString();
            if (update.docChanged && text !== latest.current.text) latest.current.onText(text);
          }),
          EditorView.domEventHandlers({
            paste: (event) => {
              const text = event.clipboardData?.getData('text/plain') ?? '';
              if (!latest.current.onPaste(text)) return false;
              event.preventDefault();
              return true;
            },
          }),
        ],
      }),
    });
    return () => view.current?.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === props.text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.text } });
  }, [props.text]);
  const [from, to] = props.fault ?? [-1, -1];
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const size = editor.state.doc.length;
    const begin = Math.min(from, Math.max(size - 1, 0));
    editor.dispatch({ effects: setMark.of(from < 0 || size === 0 ? null : [begin, Math.max(begin + 1, Math.min(to, size))]) });
  }, [from, to, props.text]);
  return <div class="editor" ref={host} />;
}
