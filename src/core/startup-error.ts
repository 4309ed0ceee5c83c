/** Why the service cannot start, in a sentence for the operator who can fix it. It is printed without a stack. */
export class StartupError extends Error {}
