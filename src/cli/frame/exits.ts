import { ConfigError } from '#kernel/config/errors.ts';
import { DatabaseUnavailable } from '#kernel/db/database.ts';
import { asUnavailable } from '#kernel/db/faults.ts';
import { AppError } from '#kernel/errors.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { CliError } from './errors.ts';

/** Exit codes (cli.md section 1.8). */
export const exits = {
  done: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  denied: 4,
  conflict: 5,
  verificationFailed: 6,
  partial: 7,
  pending: 8,
  unreachable: 9,
  declined: 10,
  configInvalid: 78,
  interrupted: 130,
  terminated: 143,
} as const;

/** What every exit code means, for help pages. */
export const exitMeanings: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'unexpected error',
  2: 'usage: unknown or invalid flag or value, or no terminal to ask on',
  3: 'not found',
  4: 'authentication or permission',
  5: 'conflict or illegal state',
  6: 'verification failed',
  7: 'partial success',
  8: 'action pending',
  9: 'unreachable, timed out or rate limited',
  10: 'declined, or confirmation missing',
  78: 'configuration invalid',
  130: 'interrupted or cancelled by a user',
};

const exactCodes: Readonly<Record<string, number>> = {
  VALIDATION_MISSING_FIELD: exits.usage,
  INVALID_KEY: exits.usage,
  NOT_FOUND: exits.notFound,
  INVALID_API_KEY: exits.denied,
  IP_NOT_ALLOWED: exits.denied,
  INSUFFICIENT_SCOPE: exits.denied,
  INVALID_LICENSE: exits.denied,
  UNAUTHORIZED: exits.denied,
  CSRF_FAILED: exits.denied,
  AUTH_UNAUTHORIZED: exits.denied,
  AUTH_FORBIDDEN: exits.denied,
  ACTIVATION_FAILED: exits.conflict,
  DEACTIVATION_FAILED: exits.conflict,
  SEAT_LIMIT_REACHED: exits.conflict,
  NOT_FLOATING: exits.conflict,
  NOT_CHECKED_OUT: exits.conflict,
  NOT_ACTIVATED: exits.conflict,
  USAGE_LIMIT_EXCEEDED: exits.conflict,
  CONFLICT: exits.conflict,
  PRECONDITION_FAILED: exits.conflict,
  VERIFICATION_FAILED: exits.verificationFailed,
  UPGRADE_FAILED: exits.verificationFailed,
  PENDING_MIGRATIONS: exits.pending,
  NOT_READY: exits.unreachable,
  RATE_LIMITED: exits.unreachable,
  CONFIG_INVALID: exits.configInvalid,
  SERVER_ERROR: exits.unexpected,
  INTERNAL_ERROR: exits.unexpected,
};

/** Reasons that make a VALIDATION_ERROR a matter of state instead of input. */
const stateReasons = new Set(['INVALID_TRANSITION', 'STALE_VERSION', 'DUPLICATE', 'IN_USE']);

const systemCodes: Readonly<Record<string, number>> = {
  ECONNREFUSED: exits.unreachable,
  ECONNRESET: exits.unreachable,
  ETIMEDOUT: exits.unreachable,
  EHOSTUNREACH: exits.unreachable,
  ENETUNREACH: exits.unreachable,
  ENOTFOUND: exits.unreachable,
  EAI_AGAIN: exits.unreachable,
  EACCES: exits.denied,
  EPERM: exits.denied,
  EROFS: exits.denied,
  EEXIST: exits.conflict,
  EADDRINUSE: exits.conflict,
};

/** What cures a refusal of the system, whatever was done when it came. */
const systemHints: Readonly<Record<string, string>> = {
  EACCES: 'run it as a user with access to that path or address',
  EPERM: 'run it as a user with access to that path or address',
  EROFS: 'choose a path on a writable disk',
  ENOSPC: 'free up space on that disk; df -h shows how full it is',
  EDQUOT: "free up space, or raise this user's disk quota",
  ENOENT: 'check that the path exists',
  ENOTDIR: 'check the path: one of its parts is a file',
};

/** Returns the exit code of a code that a service reports, in this process or from a server. */
export function exitOfServiceCode(code: string, details: Readonly<Record<string, unknown>> = {}): number {
  // Somebody stopped the work on purpose, from another terminal: that is Ctrl-C for it.
  if (details.reason === 'CANCELLED') return exits.interrupted;
  if (code === 'VALIDATION_ERROR') {
    return stateReasons.has(String(details.reason)) ? exits.conflict : exits.usage;
  }
  const exact = exactCodes[code];
  if (exact !== undefined) return exact;
  if (code.startsWith('API_KEY_')) return exits.denied;
  return code.startsWith('LICENSE_') ? exits.conflict : exits.unexpected;
}

/** How @inquirer/prompts rejects when a prompt is ended by Ctrl-C, and when its input is closed by Ctrl-D. */
const PROMPT_ENDED = new Set(['ExitPromptError', 'AbortPromptError']);

/** An error as the command line reports it. */
export interface Failure {
  exit: number;
  code: string;
  message: string;
  hint: string | null;
  details: Readonly<Record<string, unknown>>;
}

/** Turns anything that was thrown into the failure to print and the code to end with. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CliError) return error;
  if (error instanceof ConfigError) {
    const { problems } = error;
    const hint =
      problems.length === 1 ? (problems[0]?.hint ?? null) : 'appctl config check lists every problem';
    return {
      exit: exits.configInvalid,
      code: error.code,
      message: error.message,
      hint,
      details: { problems },
    };
  }
  if (error instanceof AppError) {
    const { code, message } = error;
    // A use case that knows the cure names it among its details.
    const { hint, ...details } = error.details;
    const exit = exitOfServiceCode(code, details);
    return { exit, code, message, hint: typeof hint === 'string' ? hint : null, details };
  }
  const database = error instanceof DatabaseUnavailable ? error : asUnavailable(error);
  if (database !== null) {
    const { message, hint } = database;
    return { exit: exits.unreachable, code: 'DATABASE_UNAVAILABLE', message, hint, details: {} };
  }
  if (error instanceof StorageFailure) {
    const { message, hint } = error;
    return { exit: exits.unreachable, code: 'STORAGE_UNAVAILABLE', message, hint, details: {} };
  }
  return systemFailure(error);
}

function systemFailure(error: unknown): Failure {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = String((cause as NodeJS.ErrnoException | null)?.code ?? '');
  const exit = systemCodes[code];
  const known = systemHints[code] ?? null;
  if (exit !== undefined) return { exit, code, message, hint: known, details: {} };
  if (error instanceof Error && PROMPT_ENDED.has(error.name)) {
    return { exit: exits.interrupted, code: 'INTERRUPTED', message: 'interrupted', hint: null, details: {} };
  }
  const hint = known ?? 'run it again with --debug for the stack';
  return { exit: exits.unexpected, code: 'INTERNAL_ERROR', message, hint, details: {} };
}
