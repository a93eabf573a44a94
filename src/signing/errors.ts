import { defineErrors } from '#kernel/errors.ts';

/** What is wrong with a key, a signature or a file of either, in the codes of the service that prints them. */
export const fail = defineErrors({
  VALIDATION_ERROR: [400, 'Request is not valid'],
  INVALID_KEY: [400, 'The key is not valid'],
  UNAUTHORIZED: [401, 'Authentication is required'],
  CONFLICT: [409, 'The request conflicts with the current state'],
  VERIFICATION_FAILED: [422, 'The bundle, its signature or its statement does not verify'],
});
