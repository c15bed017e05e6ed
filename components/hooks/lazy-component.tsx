'use client';

import type { ComponentType } from 'react';
import { lazyCode } from './lazy-code.ts';

/** A component whose code is loaded when it is first drawn. */
export type LazyComponent<Props> = ComponentType<Props> & {
  /** Loads its code ahead of its first use. */
  preload: () => void;
};

/**
 * A component whose code is loaded when it is first drawn.
 *
 * @param load a dynamic import
 * @param Fallback drawn while the code loads, and if it cannot be loaded. Default: nothing
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback?: ComponentType<Props>,
): LazyComponent<Props> {
  const { useCode, preload } = lazyCode(load);
  function Lazy(props: Props) {
    const Shown = useCode() ?? Fallback;
    return Shown && <Shown {...props} />;
  }
  return Object.assign(Lazy, { preload });
}
