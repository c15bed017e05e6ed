import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AnnotationChange, annotated, type RunAnnotations } from './run-annotations.ts';

const tags = fc.array(fc.constantFrom('a', 'b', 'c', 'ä'), { maxLength: 5 });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const change: fc.Arbitrary<AnnotationChange> = fc
  .record({
    title: optional(fc.constantFrom(null, '', 'Title')),
    pinned: optional(fc.boolean()),
    archived: optional(fc.boolean()),
    tags: optional(tags),
    add_tags: optional(tags),
    remove_tags: optional(tags),
    note: optional(fc.constantFrom(null, '', 'Note')),
    score: optional(fc.option(fc.nat({ max: 10 }))),
  })
  .map((fields): AnnotationChange => JSON.parse(JSON.stringify(fields)));

it('changes what is named and keeps the rest, in any order of changes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), change, (before, last) => {
      const start = before.reduce<RunAnnotations | undefined>(annotated, undefined);
      const after = annotated(start, last);
      if (!('note' in last)) expect(after?.note).toBe(start?.note);
      if (!('score' in last)) expect(after?.score).toBe(start?.score);
      if (!('pinned' in last)) expect(after?.pinned).toBe(start?.pinned);
      for (const tag of last.remove_tags ?? []) expect(after?.tags ?? []).not.toContain(tag);
      expect(after?.tags ?? []).toEqual([...new Set(after?.tags)].sort());
      // Empty values are not kept, and repeating a change has no effect.
      expect(after).not.toEqual({});
      expect(annotated(after, last)).toEqual(after);
    }),
  );
});
