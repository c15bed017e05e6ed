/** Focuses an element as soon as a list has drawn it: until it is measured it is hidden and takes no focus. */
export function focusSoon(find: () => HTMLElement | null | undefined): void {
  let frames = 0;
  const look = () => {
    const element = find();
    element?.focus({ preventScroll: true });
    frames += 1;
    if ((!element || document.activeElement !== element) && frames < 60) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
