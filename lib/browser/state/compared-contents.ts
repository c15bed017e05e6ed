import type { ComparedRun } from '../../api/comparison.ts';

type WrittenFile = ComparedRun['files'][number];
type TextPlace = WrittenFile['after'];

/** A run's version of a file; none if the run did not change it. */
export interface FileSide {
  readonly run: { readonly id: string };
  readonly letter: string;
  readonly version: WrittenFile | undefined;
}

/** Two texts to compare, and what they are. */
export interface FileContents {
  readonly note: string;
  /** Missing if there is nothing to compare. */
  readonly texts?: {
    /** `undefined`: it did not exist, or the log does not have it. */
    readonly before: ContentPlace | undefined;
    readonly after: ContentPlace;
    /** Whether the log lacks what the file held before: all of its lines are shown as added. */
    readonly isBeforeUnknown: boolean;
  };
}

/** The location of a content: a text in an event of a run. */
export interface ContentPlace extends TextPlace {
  readonly runId: string;
}

/**
 * Which contents of a file show how two runs differ: those that they left, or, where only one changed the file, its own
 * from before and after. Pure.
 */
export function contentsToCompare(a: FileSide, b: FileSide): FileContents {
  if (a.version && b.version) {
    if (a.version.digest === b.version.digest) {
      return { note: `${a.letter} and ${b.letter} left the same content.` };
    }
    return {
      note: `From what ${a.letter} left to what ${b.letter} left.`,
      texts: {
        before: placed(a.run.id, a.version.after),
        after: placed(b.run.id, b.version.after),
        isBeforeUnknown: false,
      },
    };
  }
  const [changed, other] = a.version ? [a, b] : [b, a];
  const { version } = changed;
  if (!version) return { note: `Neither ${a.letter} nor ${b.letter} changed this file.` };
  const { before } = version;
  const note = `${other.letter} did not change this file. This is what ${changed.letter} changed.`;
  const isBeforeUnknown = before.kind === 'unknown' || before.kind === 'binary';
  return {
    note: isBeforeUnknown ? `${note} The log does not have its earlier content as text.` : note,
    texts: {
      before: before.kind === 'text' ? placed(changed.run.id, before) : undefined,
      after: placed(changed.run.id, version.after),
      isBeforeUnknown,
    },
  };
}

function placed(runId: string, { seq, path, chars }: TextPlace): ContentPlace {
  return { runId, seq, path, chars };
}
