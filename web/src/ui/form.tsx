import { Form as BaseForm } from '@base-ui/react/form';
import { createContext, type ReactNode, useContext, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { ApiError } from '#sdk';
import { Alert } from './alert.tsx';
import { Button, type ButtonProps } from './button.tsx';
import { cx } from './cx.ts';

const PendingContext = createContext(false);

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
 * A form whose server-side faults land where they belong: a fault whose `loc` names a field of this form is shown under
 * that field and takes the focus; whatever else went wrong is said once, above the fields.
 */
export function Form<Values extends object = Record<string, string>>({
  submit,
  fieldOfCode = {},
  remedy,
  children,
  className,
}: FormProps<Values>) {
  const [errors, setErrors] = useState<Record<string, string[]>>({});
  const [problem, setProblem] = useState<{ text: string; action: ReactNode }>();
  const [pending, setPending] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  async function run(values: Values) {
    if (pending) return;
    setPending(true);
    setProblem(undefined);
    try {
      await submit(values);
    } catch (error) {
      const sorted = sortFaults(
        error,
        fieldOfCode,
        (name) => form.current?.querySelector(`[name="${CSS.escape(name)}"]`) != null,
      );
      setErrors(sorted.fields);
      setProblem(sorted.problem === undefined ? undefined : { text: sorted.problem, action: remedy?.(error) });
    } finally {
      setPending(false);
    }
  }

  return (
    <PendingContext value={pending}>
      <BaseForm
        ref={form}
        errors={errors}
        // Base UI holds back a form whose fields have errors, but only the server knows whether its faults still stand.
        onSubmitCapture={() => flushSync(() => setErrors({}))}
        onFormSubmit={(values) => void run(values as Values)}
        aria-busy={pending || undefined}
        className={cx('grid gap-5', className)}
      >
        {problem && (
          <Alert tone="danger" action={problem.action}>
            {problem.text}
          </Alert>
        )}
        {children}
      </BaseForm>
    </PendingContext>
  );
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
  return msg.replace(/^Value error, /, '').replace(/^(String|Input|List) should/, 'This should');
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
