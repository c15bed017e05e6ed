import { isAddedTool } from '../events/added-tools.ts';
import type { ApprovalScope } from '../events/approval.ts';
import type { NewEvent } from '../events/registry.ts';
import type { PendingCall } from '../events/run-state.ts';
import {
  approvalRequested,
  approvedBefore,
  callsToAsk,
  type StandingApproval,
} from '../policies/approval.ts';
import { conclude } from './conclude.ts';
import type { LoopContext } from './loop-context.ts';
import type { RunLoopOptions } from './run-loop-options.ts';

/** Asks the operator whether a tool may be called, unless an earlier approval covers the call. */
export class RunApprovals {
  readonly #context: LoopContext;
  readonly #findStanding: RunLoopOptions['standingApproval'];

  constructor(context: LoopContext, findStanding: RunLoopOptions['standingApproval']) {
    this.#context = context;
    this.#findStanding = findStanding;
  }

  /** @param opening events to append first */
  async ask(call: PendingCall, opening: readonly NewEvent[]): Promise<void> {
    const { toolbox, alwaysAsk = [] } = await this.#context.openTools();
    const standing = await this.#standingApproval(call.name, alwaysAsk);
    if (standing) {
      this.#context.append([...opening, approvedBefore(call, standing)]);
      return;
    }
    const state = this.#context.ready();
    // No approval is requested after a stop.
    if (state.stop) {
      this.#context.append([...opening, ...conclude(state, { reason: 'stopped' }).events]);
      return;
    }
    const asked: NewEvent[] = [];
    for (const each of callsToAsk(state, call, alwaysAsk)) {
      // A call covered by an earlier approval is approved when its turn comes, if it is still covered.
      if (each !== call && (await this.#standingApproval(each.name, alwaysAsk))) continue;
      const file = await toolbox.fileBefore?.({ name: each.name, arguments: each.arguments });
      const scopes = this.#scopesOf(each.name, alwaysAsk);
      asked.push(approvalRequested(each, { iteration: state.iteration, file, scopes }));
    }
    this.#context.append([...opening, ...asked]);
  }

  /** The scopes that the operator can choose for an approval; some tools need one for each call. */
  #scopesOf(tool: string, alwaysAsk: readonly string[]): ApprovalScope[] {
    const isKnown = this.#context.log.state.tools.some((each) => each.function.name === tool);
    if (!isKnown || alwaysAsk.includes(tool)) return ['once'];
    // Another server can get the same name, and other hosts can be listed, so an approval ends with the run.
    if (isAddedTool(tool)) return ['once', 'run'];
    return this.#findStanding ? ['once', 'run', 'tool_and_folder'] : ['once', 'run'];
  }

  /** An earlier approval that covers calls of the tool. */
  async #standingApproval(tool: string, alwaysAsk: readonly string[]): Promise<StandingApproval | undefined> {
    if (!this.#scopesOf(tool, alwaysAsk).includes('run')) return undefined;
    const { runId, forked, approvedTools } = this.#context.log.state;
    const seq = Object.hasOwn(approvedTools, tool) ? approvedTools[tool] : undefined;
    if (seq !== undefined) return { scope: 'run', seq };
    // An approval of this run may still be on its way to the store.
    await this.#context.log.durable();
    const found = await this.#findStanding?.(tool);
    // The conversation of a fork may have been edited or imported, so the operator decides there again.
    if (!found || (forked && found.run_id !== runId)) return undefined;
    return { scope: 'tool_and_folder', ...found };
  }
}
