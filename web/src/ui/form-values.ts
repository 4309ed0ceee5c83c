type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What has a value under a name, in the order of the page. */
export function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (element): element is Control => 'value' in element && 'name' in element && element.name !== '',
  );
}

/** By name: a switch is true or false, boxes of one name are a list of those that are ticked, everything else is a text. */
export function valuesOf(form: HTMLFormElement): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const control of controlsOf(form)) {
    const { name, value, type } = control;
    const { checked, role } = control as HTMLInputElement;
    if (type === 'checkbox' && role === 'switch') values[name] = checked;
    else if (type === 'checkbox')
      values[name] = [...((values[name] as string[] | undefined) ?? []), ...(checked ? [value] : [])];
    else if (type !== 'radio' || checked) values[name] = value;
  }
  return values;
}

/** What the browser itself sees: what is required, too short, or no address. */
export function nativeFaults(form: HTMLFormElement): Record<string, string[]> {
  const invalid = controlsOf(form).filter((control) => control.willValidate && !control.validity.valid);
  return Object.fromEntries(invalid.map(({ name, validationMessage }) => [name, [validationMessage]]));
}
