import type { Environment } from '../config/environment.ts';
import { setGate } from '../http/current-gate.ts';
import { Gate } from '../http/gate.ts';
import { setSharing } from '../sharing/listener/current-sharing.ts';
import { createShareServer } from '../sharing/listener/share-server.ts';
import { Sharing } from '../sharing/listener/sharing.ts';
import { playerAssets } from '../sharing/player/assets.ts';

import { setBenchmarks } from './current-benchmarks.ts';

import { setCommandTools } from './current-command-tools.ts';

import { setExperiments } from './current-experiments.ts';
import { setFolders } from './current-folders.ts';
import { setMcpServers } from './current-mcp.ts';
import { setModelChecks, setModelPrices, setModelPulls, setReruns } from './current-models.ts';
import { setPresets } from './current-presets.ts';
import { setRatings } from './current-ratings.ts';
import { setRunService } from './current-service.ts';
import { setSuites } from './current-suites.ts';
import { setToolChecks } from './current-tool-checks.ts';
import { type OpenedRunService, openRunService } from './open-run-service.ts';

/**
 * Creates the service and the gate of this process, and registers them for every copy of our modules.
 *
 * @param options.hostnames host names of the server in addition to loopback
 * @param options.port `undefined` if another server such as `next dev` chooses it
 * @throws {AppError} from the parts
 */
export async function startService(
  environment: Environment,
  options: { hostnames?: readonly string[]; port?: number } = {},
): Promise<OpenedRunService & { gate: Gate; sharing: Sharing }> {
  const opened = await openRunService(environment);
  const { hostnames = [], port } = options;
  const gate = new Gate({ token: opened.token, signIns: opened.signIns, hostnames, port });
  setRunService(opened.service);
  setExperiments(opened.experiments);
  setModelPulls(opened.pulls);
  setModelChecks(opened.checks);
  setModelPrices(opened.prices);
  setReruns(opened.reruns);
  setFolders(opened.folders);
  setPresets(opened.presets);
  setSuites(opened.suites);
  setBenchmarks(opened.benchmarks);
  setRatings(opened.ratings);
  setMcpServers(opened.mcp);
  setCommandTools(opened.commandTools);
  setToolChecks(opened.toolChecks);
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
        clientHeader: environment.share.clientHeader,
      }),
  });
  setSharing(sharing);
  const close = async () => {
    await sharing.close();
    await opened.close();
  };
  return { ...opened, gate, sharing, close };
}
