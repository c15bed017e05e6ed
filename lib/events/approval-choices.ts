/** Whether a call runs, needs approval, or is refused: the usual choice first. */
export const APPROVAL_CHOICES = ['auto', 'ask', 'deny'] as const;
export type ApprovalChoice = (typeof APPROVAL_CHOICES)[number];
