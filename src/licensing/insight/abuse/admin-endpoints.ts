import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { flag, oneOf, optional } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { later } from '#kernel/sharing.ts';
import { ABUSE_RULES } from '#licensing/contract/enumerations.ts';
import { noteField } from '#platform/admin/index.ts';
import { listRules, setRules } from './settings.ts';
import { RulesView } from './view.ts';

const PATH = '/api/v1/admin/abuse/rules';

/** Thresholds by name; the rule judges them further. */
const PARAMS = { maxKeys: 10, maxKeyLength: 50, maxValueLength: 20 };

const RulesBody = later(() =>
  z
    .strictObject({
      rules: z
        .array(
          z.strictObject({
            rule: oneOf(ABUSE_RULES),
            enabled: optional(flag()),
            params: optional(jsonObject(PARAMS)),
          }),
        )
        .min(1)
        .max(ABUSE_RULES.length),
      note: noteField(),
    })
    .meta({ id: 'AbuseRulesBody' }),
);

/** Changes the rules; the page of their thresholds calls it too. */
export const setRulesEndpoint = endpoint({
  method: 'put',
  path: PATH,
  summary:
    'Turn abuse detection rules on or off, or change their thresholds; fields that are not sent stay as they are',
  scope: 'licensing:write',
  limit: null,
  rehearsable: true,
  body: RulesBody,
  replies: { 200: RulesView },
  errors: ['VALIDATION_ERROR'],
  handle: async (ctx, { body }) => ok({ items: await setRules(ctx, body.rules) }),
});

/** What counts as suspicious, for staff (licensing 4.2, Abuse). */
export const abuseRuleAdminEndpoints = [
  endpoint({
    method: 'get',
    path: PATH,
    summary: 'List the abuse detection rules with their thresholds',
    scope: 'licensing:read',
    limit: null,
    replies: { 200: RulesView },
    handle: async (ctx) => ok({ items: await listRules(ctx) }),
  }),
  setRulesEndpoint,
];
