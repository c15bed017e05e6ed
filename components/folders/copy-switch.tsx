import { Switch } from '../ui/form/fields.tsx';

/** Whether a run works on a copy of a person's folder, and what that means for the folder. */
export function CopySwitch({
  checked,
  onChange,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <Switch
      label="Work on a copy"
      hint={
        checked
          ? "Your folder stays unchanged. The run's page says where the copy is, so that you can take over what you like."
          : 'The agent reads, changes and overwrites the files in your folder itself.'
      }
      checked={checked}
      onChange={onChange}
    />
  );
}
