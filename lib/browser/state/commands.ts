import { createStore } from 'zustand/vanilla';

/** Something the command palette can do on the page that is open. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: string;
  /** Distinguishes commands with the same label; also searched. */
  readonly about?: string;
  /** The key that does the same, if any. */
  readonly keys?: string;
  readonly run: () => void;
}

/** The commands of the open page, newest registration last. */
export const pageCommands = createStore<readonly Command[]>(() => []);

/** Offers commands until the returned function is called. */
export function offerCommands(commands: readonly Command[]): () => void {
  pageCommands.setState((before) => [...before, ...commands], true);
  return () =>
    pageCommands.setState((before) => before.filter((command) => !commands.includes(command)), true);
}

/** Commands whose label, group or addition holds all words of a query, in their order. */
export function matching(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ label, group, about = '' }) => {
    const text = `${label} ${group} ${about}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
