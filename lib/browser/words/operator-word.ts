/** How pages address the operator: readers of a shared run are not the operator. */
export type OperatorWord = 'you' | 'the operator';
