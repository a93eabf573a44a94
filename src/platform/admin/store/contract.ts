export { upserting } from '../upsert.ts';
export { storeAnswers, storeFail } from './answers.ts';
