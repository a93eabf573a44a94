import type { FormState } from './form-input.ts';
import type { Session } from './visitor.ts';

/** Under which a session keeps the form that its visitor could not send yet. */
const NAME = 'kept-form';
/** Longer ones are lost: a session is no place for files. */
const LONGEST = 100_000;

interface KeptForm {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What a sign-in page carries of a form that was sent without a session; the visitor has typed it and may see it. */
export const keptText = (values: KeptForm['values']): string | null => {
  const text = JSON.stringify(values);
  return text.length > LONGEST ? null : text;
};

/** Largest form of a sign-in page, with another form in it. */
export const KEPT_FORM_BYTES = 4 * LONGEST;

/**
 * Keeps the values of a form until its page is shown again.
 *
 * @param path of the page, with its query
 */
export const keepForm = (session: Session, path: string, values: KeptForm['values']): void =>
  session.write(NAME, { path, values } satisfies KeptForm);

/** As `keepForm`, for what a sign-in page carried. What is no such thing is not kept. */
export function keepText(session: Session, path: string, text: string): void {
  if (text.length > LONGEST) return;
  try {
    const values: unknown = JSON.parse(text);
    if (typeof values === 'object' && values !== null && !Array.isArray(values))
      keepForm(session, path, values as KeptForm['values']);
  } catch {
    // Nobody but a stranger writes anything else.
  }
}

/** The form of a page as it was kept, which is kept no longer; null when there is none. */
export function takeKept(session: Session, path: string): FormState | null {
  const kept = session.read(NAME) as KeptForm | undefined;
  if (kept?.path !== path) return null;
  session.write(NAME, undefined);
  return {
    values: kept.values,
    errors: {},
    summary: [
      { field: null, text: 'What you entered was kept but not sent yet: check it and send it again.' },
    ],
  };
}
