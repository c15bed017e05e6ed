import type { RunDraft } from './run-draft.ts';

let handed: Partial<RunDraft> | undefined;

/**
 * Hands what is filled in on one page over to the form that opens next. Not in the address, because another site could link
 * to an address that names a folder of this machine.
 */
export function handOver(draft: Partial<RunDraft> | undefined): void {
  handed = draft;
}

/** The handed-over task, until `handOver(undefined)`. */
export function handedOver(): Partial<RunDraft> | undefined {
  return handed;
}

/** Max characters of a task in an address: encoded, they must fit into the head of a request. */
const LINKED_TASK_CHARS = 1500;

/** The beginning of a task, for the address of the form: a link that is opened in a new tab has nothing else. */
export function linkedTask(task: string): string {
  return task.slice(0, LINKED_TASK_CHARS).toWellFormed();
}

/**
 * The task with which a form opens: the whole one that was handed over, if the address has its beginning. Pure.
 *
 * @param linked the task in the address
 */
export function openingTask(linked: string, handedTask: string | undefined): string {
  return handedTask !== undefined && linkedTask(handedTask) === linked ? handedTask : linked;
}
