/** An error within a line of text or controls, where an `ErrorNote` has no room. */
export function ErrorLine({ error }: { error: { message: string; hint?: string } }) {
  return (
    <span role="alert" className="text-sm text-fail">
      {error.message} {error.hint}
    </span>
  );
}
