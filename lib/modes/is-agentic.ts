/**
 * Whether a task takes the loop: only when one of its two flags is strictly `true` (T9). Everything else, also `"true"`
 * and `1`, takes the single-shot path.
 */
export function isAgentic(task: { routing_decision?: { agentic?: unknown }; _agentic?: unknown }): boolean {
  return task.routing_decision?.agentic === true || task._agentic === true;
}
