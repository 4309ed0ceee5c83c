import { createContext, type FormEvent, type ReactNode, useContext, useLayoutEffect, useRef, useState } from 'react';
import { ApiError } from '#sdk';
import { Alert } from './alert.tsx';
import { Button, type ButtonProps } from './button.tsx';
import { cx } from './cx.ts';
import { controlsOf, nativeFaults, valuesOf } from './form-values.ts';

const PendingContext = createContext(false);
const FaultsContext = createContext<Record<string, string[]>>({});

type FormProps<Values> = {
  submit: (values: Values) => Promise<void>;
  /** Failures that are about one field although they are no 422: the code, and the field to show it under. */
  fieldOfCode?: Record<string, string>;
  /** What a person can do about a failure that is no field's, shown beside it. */
  remedy?: (error: unknown) => ReactNode;
  children: ReactNode;
  className?: string;
};

/**
 * A form whose faults land where they belong: what the browser or the server says of a value is shown under its field, the first of which
 * takes the focus; whatever else went wrong is said once, above the fields.
 */
export function Form<Values extends object = Record<string, string>>({
  submit,
  fieldOfCode = {},
  remedy,
  children,
  className,
}: FormProps<Values>) {
  const [faults, setFaults] = useState<Record<string, string[]>>({});
  const [problem, setProblem] = useState<{ text: string; action: ReactNode }>();
  const [pending, setPending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const controls = () => (form.current ? controlsOf(form.current) : []);
  const goesToFault = useRef(false);
  useLayoutEffect(() => {
    if (!goesToFault.current) return;
    goesToFault.current = false;
    const first = controls().find(({ name }) => faults[name]);
    first?.focus();
    if (first instanceof HTMLInputElement) first.select();
  });

  async function run() {
    if (pending || !form.current) return;
    const found = nativeFaults(form.current);
    showFaults(found);
    if (Object.keys(found).length > 0) return;
    setPending(true);
    setProblem(undefined);
    try {
      await submit(valuesOf(form.current) as Values);
    } catch (error) {
      const sorted = sortFaults(error, fieldOfCode, (name) => controls().some((control) => control.name === name));
      showFaults(sorted.fields);
      setProblem(sorted.problem === undefined ? undefined : { text: sorted.problem, action: remedy?.(error) });
    } finally {
      setPending(false);
    }
  }
  function showFaults(found: Record<string, string[]>) {
    goesToFault.current = true;
    setFaults(found);
  }
  /** A value that is being changed is judged anew, when it is sent. */
  function forget({ target }: FormEvent) {
    const { name } = target as HTMLInputElement;
    if (faults[name]) setFaults(Object.fromEntries(Object.entries(faults).filter(([other]) => other !== name)));
  }

  return (
    <PendingContext value={pending}>
      <FaultsContext value={faults}>
        <form
          ref={form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
          onInput={forget}
          aria-busy={pending || undefined}
          className={cx('grid gap-5', className)}
        >
          {problem && (
            <Alert tone="danger" action={problem.action}>
              {problem.text}
            </Alert>
          )}
          {children}
        </form>
      </FaultsContext>
    </PendingContext>
  );
}

/** What is wrong with the value of a name in this form. */
export function useFault(name: string): string | undefined {
  return useContext(FaultsContext)[name]?.join(' ');
}

export function SubmitButton({ children, ...props }: ButtonProps) {
  const pending = useContext(PendingContext);
  return (
    <Button type="submit" {...props} pending={pending}>
      {children}
    </Button>
  );
}

function sortFaults(error: unknown, fieldOfCode: Record<string, string>, hasField: (name: string) => boolean) {
  const fields: Record<string, string[]> = {};
  const rest: string[] = [];
  if (error instanceof ApiError && error.faults.length > 0) {
    for (const fault of error.faults) {
      const name = fault.loc.map(String).find((part, index) => index > 0 && hasField(part));
      // A field that holds a list: the fault names the place in it.
      const place = fault.loc.at(-1);
      const text = plainly(fault);
      if (name)
        fields[name] = [
          ...(fields[name] ?? []),
          sentence(typeof place === 'number' ? `Line ${place + 1}: ${text}` : text),
        ];
      else rest.push(sentence(text));
    }
  } else {
    const name = error instanceof ApiError && error.code ? fieldOfCode[error.code] : undefined;
    if (name) fields[name] = [messageOf(error)];
    else rest.push(messageOf(error));
  }
  return { fields, problem: rest.length ? rest.join(' ') : undefined };
}

/** What went wrong before any call, in words for people. */
export class PlainError extends Error {}

/** What to tell a person about a failed call. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) {
    if (error.status === 500) return `Something went wrong on our side. Reference: ${error.requestId ?? 'none'}.`;
    if (error.faults.length > 0) return error.faults.map((fault) => sentence(plainly(fault))).join(' ');
    return sentence(error.message);
  }
  if (error instanceof PlainError) return error.message;
  return 'The server could not be reached. Check your connection and try again.';
}

/** The API's messages follow Pydantic's, which are for programmers: they name types, and patterns. */
function plainly({ type, msg }: ApiError['faults'][number]): string {
  if (type === 'string_pattern_mismatch') return 'This has a character that cannot be used here';
  if (type === 'too_short' && msg.endsWith(' 1 item')) return 'At least one is needed';
  return msg.replace(/^Value error, /, '').replace(/^(String|Input|List) should/, 'This should');
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
