import {
  type Action,
  type Decision,
  effectiveMaxUses,
  type Facts,
  usageOf,
} from '#licensing/licenses/decision/index.ts';

/** The essential fields of a success: what the decision itself determines, without key, customer and machine. */
export function shortReply(action: Action, decision: Decision, facts: Facts): Record<string, unknown> {
  return { ...(replies[action] ?? done)(decision, facts), ...additions(decision) };
}

type ReplyOf = (decision: Decision, facts: Facts) => Record<string, unknown>;

const done: ReplyOf = ({ message }) => ({ message });

const replies: Partial<Record<Action, ReplyOf>> = {
  validate: ({ allowed, status, code, message }) => ({ valid: allowed, status, code, message }),
  'validate-entitlement': ({ entitlement }) => ({ ...entitlement }),
  'record-usage': ({ message }, { license, policy, request }) => {
    const used = (license?.currentUses ?? 0) + (request.quantity ?? 1);
    return { message, usage: usageOf(used, license && effectiveMaxUses(license, policy)) };
  },
  renew: ({ message, renewal }, { request }) => ({
    message,
    license: { status: renewal?.status, validUntil: request.validUntil },
  }),
};

function additions({ grace, versionAllowed, leaseExpiresAt, nextHeartbeatAt }: Decision) {
  return {
    ...(grace && { grace: true, graceExpiresAt: grace.until }),
    ...(versionAllowed !== undefined && { versionAllowed }),
    ...(leaseExpiresAt !== undefined && { activation: { leaseExpiresAt } }),
    ...(nextHeartbeatAt !== undefined && { nextHeartbeatAt }),
  };
}
