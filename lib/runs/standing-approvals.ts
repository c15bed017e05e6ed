import type { StandingApproval, StandingApprovalRecord } from '../api/standing-approval.ts';
import { AppError } from '../errors/app-error.ts';
import { isGeneratedWorkspace } from '../sandbox/workspace.ts';
import type { RunReader } from '../store/run-store.ts';
import type { StandingApprovalStore } from '../store/standing-approval-store.ts';

/** The approvals that hold for all calls of a tool in a person's folder until they are revoked. */
export class StandingApprovals {
  readonly #store: StandingApprovalStore & Pick<RunReader, 'summary'>;
  readonly #dataDir: string;

  constructor(options: { store: StandingApprovalStore & Pick<RunReader, 'summary'>; dataDir: string }) {
    this.#store = options.store;
    this.#dataDir = options.dataDir;
  }

  /** All of them, most recent first. */
  async list(): Promise<StandingApproval[]> {
    const approvals = await this.#store.standingApprovals();
    return Promise.all(
      approvals.map(async (approval) => {
        const run = await this.#store.summary(approval.run_id);
        return { ...approval, ...(run && { run_title: run.title }) };
      }),
    );
  }

  /**
   * Revokes one approval, or all: the next call of the tool in the folder needs approval again, even in runs in
   * progress.
   *
   * @throws {AppError} `standing_approval_not_found`
   */
  async revoke(id?: string): Promise<string[]> {
    const revoked = await this.#store.revokeStandingApprovals(id === undefined ? undefined : [id]);
    if (id !== undefined && revoked.length === 0) {
      throw new AppError({
        code: 'standing_approval_not_found',
        message: 'This standing approval does not exist.',
        hint: 'GET /api/standing-approvals lists them.',
      });
    }
    return revoked;
  }

  /**
   * How a run finds the approval for calls of a tool in its folder. `undefined` if the run does not use a person's
   * folder: no later run works in a folder that was created for one run.
   */
  finderFor(
    workspace: string,
  ): ((tool: string) => Promise<Pick<StandingApprovalRecord, 'run_id' | 'seq'> | undefined>) | undefined {
    if (workspace === '' || isGeneratedWorkspace(workspace, this.#dataDir)) return undefined;
    return async (tool) => {
      const found = await this.#store.standingApproval(tool, workspace);
      return found && { run_id: found.run_id, seq: found.seq };
    };
  }
}
