import type { Environment } from '../config/environment.ts';
import { operatorToken } from '../config/operator-token.ts';
import { setGate } from '../http/current-gate.ts';
import { Gate } from '../http/gate.ts';
import { setSharing } from '../sharing/listener/current-sharing.ts';
import { createShareServer } from '../sharing/listener/share-server.ts';
import { Sharing } from '../sharing/listener/sharing.ts';
import { playerAssets } from '../sharing/player/assets.ts';
import { setExperiments } from './current-experiments.ts';
import { setModelChecks, setModelPulls } from './current-models.ts';
import { setRunService } from './current-service.ts';
import { type OpenedRunService, openRunService } from './open-run-service.ts';

/**
 * Opens the one service and the one gate of this process and puts them where every copy of our modules finds them.
 *
 * @param options.hostnames names beside the loopback ones under which the server may be asked
 * @param options.port `undefined` when another server, as `next dev`, chooses it
 * @throws {AppError} what the parts throw
 */
export async function startService(
  environment: Environment,
  options: { hostnames?: readonly string[]; port?: number } = {},
): Promise<OpenedRunService & { gate: Gate; sharing: Sharing }> {
  const opened = await openRunService(environment);
  const token = operatorToken(environment.dataDir, environment.token);
  const gate = new Gate({ token, hostnames: options.hostnames ?? [], port: options.port });
  setRunService(opened.service);
  setExperiments(opened.experiments);
  setModelPulls(opened.pulls);
  setModelChecks(opened.checks);
  setGate(gate);
  const sharing = new Sharing({
    shares: opened.shares,
    settings: environment.share,
    newServer: () =>
      createShareServer({
        shares: opened.shares,
        follow: (runId, after, signal) =>
          opened.service.follow({ topics: new Map([[runId, after]]), signal }),
        assets: () => playerAssets(),
      }),
  });
  setSharing(sharing);
  const close = async () => {
    await sharing.close();
    await opened.close();
  };
  return { ...opened, gate, sharing, close };
}
