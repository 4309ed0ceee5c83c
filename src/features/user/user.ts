/** People, as every other feature sees them. How they register and sign in is the business of account and credential. */
export { User, userNotFound } from './user.schema.ts';
export {
  countUsers,
  findDefaultRegion,
  findRecipient,
  findSignIn,
  findUser,
  findUserIfAny,
  hasOperator,
  insertUser,
  listUsers,
  lockUser,
  passwordHashOf,
  updateMutedMails,
  updateUser,
  usersById,
} from './user.sql.ts';
