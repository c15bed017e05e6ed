import { type RefObject, useEffect, useRef, useState } from 'react';

/** The width of an element in whole pixels; 0 until it is known, and while the element is hidden. */
export function useWidth<E extends Element>(): [ref: RefObject<E | null>, width: number] {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const sized = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    sized.observe(element);
    return () => sized.disconnect();
  }, []);
  return [ref, width];
}
