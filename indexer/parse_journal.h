// Which texts are being parsed, for the processes that come after one that died of it: each process has a
// small file in the folder of stores, mapped into memory, so that telling it costs two writes to memory. A
// text that crashed its grammar is known by its hash and not parsed for a week; a file of which two texts did
// is left alone as long. Where the parsing thread itself got the fatal signal, that is certain at once; else
// (killed, out of memory) a second death at the same text has to say so. `begin` and what it
// returns are any thread's, as what was read once and does not change.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::indexer {

class ParseJournal {
 public:
  // Reads what dead processes left, and begins its own. A journal that cannot be kept keeps nothing: parsing
  // goes on without. From now on fatal signals are noted before they end the process as they would have.
  explicit ParseJournal(std::filesystem::path folder);
  ParseJournal(const ParseJournal&) = delete;
  ParseJournal& operator=(const ParseJournal&) = delete;
  ~ParseJournal();  // all went well: nothing is left

  // Not to be parsed. `file` is a whole path, or whatever names a text that is in no file.
  bool crashed(std::string_view file, std::uint64_t hash) const;

  // A text of the file did.
  bool ever_crashed(std::string_view file) const;

  // To be parsed first and alone, so that no other file is there if it crashes.
  bool suspected(std::string_view file) const;

  struct Slot;

  // Lasts while the text is parsed, by the thread that made it.
  class Parsing {
   public:
    Parsing(const Parsing&) = delete;
    Parsing& operator=(const Parsing&) = delete;
    ~Parsing();

    bool is_refused() const { return is_refused_; }  // the text is not to be parsed

   private:
    friend class ParseJournal;
    explicit Parsing(ParseJournal* journal, int slot = 0, bool is_refused = false)
        : journal_(journal), slot_(slot), is_refused_(is_refused) {}

    ParseJournal* journal_;  // none: nothing is told
    int slot_;
    bool is_refused_;
  };
  Parsing begin(std::string_view file, std::uint64_t hash);

  // As `begin`, but for a text that crashed. Without a journal nobody is told.
  static Parsing enter(const std::shared_ptr<ParseJournal>& journal, std::string_view file,
                       std::string_view text);

  // Removes what dead processes left of files in this folder.
  static void forget(const std::filesystem::path& folder, const std::filesystem::path& root);

 private:
  struct Blame {
    int strikes = 0;  // certain ones
    int deaths = 0;   // at which it was there
  };

  void read();
  void map();

  std::filesystem::path folder_, path_;
  std::map<std::string, std::map<std::uint64_t, Blame>, std::less<>> blamed_;  // by file and hash
  int file_ = -1;                                                              // locked while it is ours
  Slot* slots_ = nullptr;
  std::atomic<std::uint32_t> taken_ = 0;  // a bit for each slot
};

}  // namespace hearth::indexer
