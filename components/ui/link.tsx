'use client';

import NextLink from 'next/link';
import { type ComponentProps, useState } from 'react';

/**
 * A link to another page. What it needs is fetched when the pointer or the focus comes to it, not as soon as it is in
 * view: a list of runs would ask the server for fifty pages while it has events to send.
 */
export function Link({ onPointerEnter, onFocus, ...props }: ComponentProps<typeof NextLink>) {
  const [meant, setMeant] = useState(false);
  return (
    <NextLink
      {...props}
      prefetch={meant ? null : false}
      onPointerEnter={(event) => {
        setMeant(true);
        onPointerEnter?.(event);
      }}
      onFocus={(event) => {
        setMeant(true);
        onFocus?.(event);
      }}
    />
  );
}
