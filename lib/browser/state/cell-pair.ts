import type { PairsReply } from '../../api/experiment-cells.ts';

/**
 * A comparison of two cells, if it is of those that are chosen now. The last reply stays while the next one is read or cannot be,
 * and would pass for a verdict on other cells. Pure.
 */
export function ofChosenCells(
  reply: PairsReply | undefined,
  chosen: Pick<PairsReply, 'a' | 'b'>,
): PairsReply | undefined {
  return reply?.a === chosen.a && reply.b === chosen.b ? reply : undefined;
}
