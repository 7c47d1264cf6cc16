// A button that opens a panel below it. Escape, a click elsewhere and a way to another page close it; Escape gives the focus back.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

interface Props {
  /** The button's name for readers, where its content is not enough. */
  readonly label?: string;
  readonly button: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly onOpen?: () => void;
}

export function Menu({ label, button, children, class: name = '', onOpen }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = ({ target }: Event): void => {
      if (!frame.current?.contains(target as Node)) setIsOpen(false);
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      setIsOpen(false);
      opener.current?.focus();
    };
    addEventListener('pointerdown', onPointer);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('pointerdown', onPointer);
      removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
  return (
    <div ref={frame} class={`menu ${name}`}>
      <button
        ref={opener}
        type="button"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => {
          if (!isOpen) onOpen?.();
          setIsOpen(!isOpen);
        }}
      >
        {button}
      </button>
      <div id={id} class="panel" hidden={!isOpen}>
        {isOpen && children}
      </div>
    </div>
  );
}
