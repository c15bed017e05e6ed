import type { Environment } from '../config/environment.ts';
import { operatorToken } from '../config/operator-token.ts';
import { setGate } from '../http/current-gate.ts';
import { Gate } from '../http/gate.ts';
import { setExperiments } from '../runs/current-experiments.ts';
import { setRunService } from '../runs/current-service.ts';
import { type OpenedRunService, openRunService } from '../runs/open-run-service.ts';

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
): Promise<OpenedRunService & { gate: Gate }> {
  const opened = await openRunService(environment);
  const token = operatorToken(environment.dataDir, environment.token);
  const gate = new Gate({ token, hostnames: options.hostnames ?? [], port: options.port });
  setRunService(opened.service);
  setExperiments(opened.experiments);
  setGate(gate);
  return { ...opened, gate };
}
