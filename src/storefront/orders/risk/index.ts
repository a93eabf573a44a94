export { assess, assessBefore, type Card, needsReview } from './assess.ts';
export { reviewsWaiting } from './queries.ts';
export { countDecline, countingRefusals, type Trier, takeTry } from './tries.ts';
export { reasonWords } from './words.ts';
