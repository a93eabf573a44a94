export { storeAnswers, storeFail } from './answers.ts';
