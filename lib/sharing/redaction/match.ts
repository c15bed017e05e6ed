/** The kind of a finding; part of its mask, to tell readers what was there. */
export type FindingKind = string;

/** The groups of kinds. */
export type FindingGroup = 'secret' | 'e-mail' | 'path' | 'address' | 'environment';

/** A range in a text to redact. Offsets in UTF-16 units. */
export interface Match {
  kind: FindingKind;
  group: FindingGroup;
  start: number;
  end: number;
  /** Found next to a name like `password`, and distinctive enough to search for elsewhere. */
  learned?: true;
  /** The whole value, where a length limit cut it and this is a piece. */
  whole?: string;
}
