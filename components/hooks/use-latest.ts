'use client';

import { type RefObject, useRef } from 'react';

/** The value of the latest render, for callbacks that run later, such as after the answer to a request. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}
