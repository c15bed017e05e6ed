/** What kind of thing was found; part of its mask, so that a reader knows what stood there. */
export type FindingKind = string;

/** The families that the kinds belong to. */
export type FindingGroup = 'secret' | 'e-mail' | 'path' | 'address' | 'environment';

/** One place in a text that should not leave. Offsets in UTF-16 units. */
export interface Match {
  kind: FindingKind;
  group: FindingGroup;
  start: number;
  end: number;
  /** Stood beside a name like `password`, and is distinctive enough to be looked for elsewhere. */
  learned?: true;
}
