import type { ComponentProps } from 'react';

type Scrolling<Tag extends 'section' | 'div'> = { label: string } & Omit<
  ComponentProps<Tag>,
  'aria-label' | 'role' | 'tabIndex'
>;

/** A landmark that scrolls on its own. It is focusable, because it could not be scrolled by keyboard otherwise. */
export function ScrollRegion({ label, ...props }: Scrolling<'section'>) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  return <section aria-label={label} tabIndex={0} {...props} />;
}

/** The same for a part that is not a landmark, because a page can have many of them. */
export function ScrollGroup({ label, ...props }: Scrolling<'div'>) {
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  return <div role="group" aria-label={label} tabIndex={0} {...props} />;
}
