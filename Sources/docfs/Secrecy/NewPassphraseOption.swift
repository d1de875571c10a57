import ArgumentParser

/// How a person says a new passphrase to a command.
struct NewPassphraseOption: ParsableArguments {
    @Option(
        help: "A file whose first line is the new passphrase. (default: $DOCFS_PASSPHRASE, or asked for on a terminal)")
    var passphraseFile: String?

    /// - Returns: nil where it is to be asked for.
    func told() throws(CommandFailure) -> Passphrase? { try Passphrase.told(file: passphraseFile, descriptor: nil) }
}
