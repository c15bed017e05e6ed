/** Max iterations of a task by complexity tier (G1). */
export const ITERATION_LIMITS = { trivial: 5, standard: 10, complex: 20 } as const;
