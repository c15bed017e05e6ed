/** Frames after which an element keeps its focus: a list that settles may replace the row it has just drawn. */
const KEPT_FRAMES = 20;
/** Frames after which focusing an element is given up: two seconds. */
const MAX_FRAMES = 120;

/** The next scheduled frame; 0 while there is nothing to focus. */
let frame = 0;
/** Whether the element to focus is a control that had the focus before. */
let isReturn = false;
/** Ends when nothing remains to be focused. */
let watch = new AbortController();

/**
 * Focuses an element as soon as a list has drawn it, and again if the list replaces it while it settles. Until it is
 * measured it is hidden and takes no focus. Ends when the reader moves the focus elsewhere, or with the next call.
 *
 * @param otherwise what to focus if it does not appear and nothing else has the focus
 */
export function focusSoon(
  find: () => HTMLElement | null | undefined,
  otherwise?: () => HTMLElement | null,
): void {
  endFocusing();
  isReturn = false;
  watch = new AbortController();
  let frames = 0;
  let kept = 0;
  let given = false;
  const look = () => {
    frame = 0;
    const { activeElement, body } = document;
    const element = find();
    if (given && activeElement !== element && activeElement !== body && activeElement !== null)
      return endFocusing();
    if (element && activeElement !== element) element.focus({ preventScroll: true });
    const has = element !== null && element !== undefined && document.activeElement === element;
    given ||= has;
    kept = has ? kept + 1 : 0;
    frames += 1;
    if (kept < KEPT_FRAMES && frames < MAX_FRAMES) frame = requestAnimationFrame(look);
    else endFocusing();
    if (frames === MAX_FRAMES && !given && document.activeElement === body) otherwise?.()?.focus();
  };
  // Between two frames, the reader may press a control that vanishes with it.
  const see = ({ target }: Event) => {
    if (given && target !== find()) endFocusing();
  };
  document.addEventListener('focusin', see, { signal: watch.signal });
  frame = requestAnimationFrame(look);
}

function endFocusing(): void {
  cancelAnimationFrame(frame);
  frame = 0;
  watch.abort();
}

/** Focuses the first field in an element that a press has just opened. @param id of the element */
export function focusFirstField(id: string): void {
  focusSoon(() => document.getElementById(id)?.querySelector<HTMLElement>('input, select, textarea'));
}

/** Keeps the focus beside a button that its press may disable, as at the end of a range. @param other gets it then */
export function focusEnabled(pressed: HTMLButtonElement, other: Element | null): void {
  focusSoon(() => (pressed.disabled && other instanceof HTMLElement ? other : pressed));
}

/**
 * Passes the focus on when a button such as “Show more” is removed while it has it: to the first control of what it
 * has added, which follows the last control before the button. A `ref` of the button.
 */
export function passFocusOn(button: HTMLElement | null): () => void {
  return () => {
    if (!button || document.activeElement !== button) return;
    const { DOCUMENT_POSITION_PRECEDING: before, DOCUMENT_POSITION_FOLLOWING: after } = Node;
    const last = controls().findLast((each) => button.compareDocumentPosition(each) & before);
    // Where the page changes, the list is removed as well.
    focusSoon(() =>
      last?.isConnected
        ? controls().find((each) => last.compareDocumentPosition(each) & after && !last.contains(each))
        : undefined,
    );
  };
}

function controls(): HTMLElement[] {
  const all = document.querySelectorAll<HTMLElement>(
    'a[href], button:enabled, input:enabled, select:enabled, summary, [tabindex="0"]',
  );
  return [...all].filter((each) => each.checkVisibility());
}

/** Call before a request. Returns a function that tells whether the reader has moved the focus since then. */
export function watchFocus(): () => boolean {
  const before = document.activeElement;
  return () => {
    const { activeElement, body } = document;
    return activeElement !== before && activeElement !== body;
  };
}

/** Call before a request. Returns a function that focuses an element after it, unless the reader has moved the focus. */
export function focusUnlessMoved(): (to: HTMLElement | null) => void {
  const hasMoved = watchFocus();
  return (to) => {
    if (!hasMoved()) to?.focus({ preventScroll: true });
  };
}

/** Gives the focus back to a control that was disabled while it had it, unless something else has it, or is to get it. */
export function returnFocus(to: Element | null): void {
  const { activeElement, body } = document;
  if (frame !== 0 || activeElement !== body || to === body || !(to instanceof HTMLElement)) return;
  focusSoon(() => (to.isConnected ? to : undefined));
  isReturn = true;
}

/**
 * Keeps the focus in a part of the page whose controls come and go: when the focused one is removed, the first one gets
 * it, which may be a status with `tabIndex={-1}`. A `ref` of the part.
 */
export function keepFocus(part: HTMLElement | null): (() => void) | undefined {
  if (!part) return undefined;
  const listening = new AbortController();
  const { signal } = listening;
  let last: Node | undefined;
  const see = ({ target }: Event) => {
    last = target instanceof Node && part.contains(target) ? target : undefined;
  };
  // A press on an empty place takes the focus away without giving it to anything.
  for (const type of ['focusin', 'pointerdown']) document.addEventListener(type, see, { signal });
  const observer = new MutationObserver(() => {
    if (!last || last.isConnected || document.activeElement !== document.body) return;
    last = undefined;
    // The press that removed it may have said where the focus goes.
    if (frame === 0 || isReturn)
      focusSoon(() => part.querySelector<HTMLElement>('a[href], button, [tabindex]'));
  });
  observer.observe(part, { childList: true, subtree: true });
  return () => {
    listening.abort();
    observer.disconnect();
  };
}
