import { certificateProblem } from '../../util/certificate-problem.ts';
import { errno } from '../../util/errno.ts';
import { errorMessage } from '../../util/error-message.ts';

const CONNECTION_PROBLEMS: ReadonlyMap<string | undefined, string> = new Map([
  ['ECONNREFUSED', 'it refused the connection'],
  ['ECONNRESET', 'it closed the connection'],
  ['EHOSTUNREACH', 'there is no route to it'],
  ['ENETUNREACH', 'there is no route to it'],
  ['EPROTO', 'it does not speak TLS as expected; it may serve http only'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS as expected; it may serve http only'],
  ['HPE_HEADER_OVERFLOW', 'its headers are too long'],
]);

/** Why a request failed, for the model, completing a sentence about the server. Pure. */
export function connectionProblem(error: unknown): string {
  const certificate = certificateProblem(error);
  if (certificate !== undefined) {
    return `${certificate}, so it cannot be verified that this is the right server. Trying again will not help.`;
  }
  const known = CONNECTION_PROBLEMS.get(errno(error));
  if (known !== undefined) return `${known}.`;
  return errorMessage(error).slice(0, 300);
}
